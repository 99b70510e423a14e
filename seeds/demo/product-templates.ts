import type { ProductTemplate } from '../../db/templates/table/columns.ts'
import { collectibles } from './collectibles.ts'
import { groceries } from './groceries.ts'
import { shipments } from './shipments.ts'

/** The demo templates. Together they show every irregularity of real documents. */
export const demoTemplates: ProductTemplate[] = [...groceries, ...collectibles, ...shipments]
