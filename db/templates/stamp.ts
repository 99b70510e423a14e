import type { FoundTemplate, ProductTemplate, TemplateFields } from './product-templates.ts'

/**
 * What tells whether a template is the same as before: the revision, and because a store may be put back to an earlier
 * one, all that is short and the bytes of `data`.
 */
export type TemplateStamp = Omit<ProductTemplate, 'data'> & { revision: number; size: number }

const stampNames = [
  'id',
  'revision',
  'size',
  'timeModified',
  'name',
  'blockchainId',
  'maxItems',
  'publicProduct',
  'componentName',
  'timeCreated'
] as const

export const stampFields: TemplateFields = new Set(stampNames)

/** Whether a template was read with its stamp. */
export const isStamped = <Template extends Partial<FoundTemplate>>(
  template: Template
): template is Template & TemplateStamp => template.size !== undefined && template.revision !== undefined

export const isSame = (one: TemplateStamp, other: TemplateStamp): boolean =>
  stampNames.every(name => one[name] === other[name])

export const pickStamp = (template: TemplateStamp): TemplateStamp =>
  Object.fromEntries(stampNames.map(name => [name, template[name]])) as unknown as TemplateStamp
