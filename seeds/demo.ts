import { readFileSync } from 'node:fs'
import type { ProductTemplate } from '../db/templates/table/columns.ts'
import { locate } from '../package-files.ts'

/**
 * The demo templates. Together they show every irregularity of real documents, such as white space that must be served as
 * it was stored. The file has the format of `product-templates export`.
 */
export const demoTemplates: ProductTemplate[] = JSON.parse(readFileSync(locate('seeds/demo.json'), 'utf8'))
