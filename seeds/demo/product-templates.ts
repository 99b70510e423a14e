import type { ProductTemplate } from '../../db/templates/product-templates.ts'
import { collectibles } from './collectibles.ts'
import { groceries } from './groceries.ts'
import { shipments } from './shipments.ts'

/** The demo templates: between them they show every irregularity that real documents have. */
export const demoTemplates: ProductTemplate[] = [...groceries, ...collectibles, ...shipments]
