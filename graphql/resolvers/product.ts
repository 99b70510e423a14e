import {
  findPartialTemplate,
  findPartialTemplates,
  findWholeTemplate,
  type PartialTemplate,
  type TemplateFields,
  type TemplateWithRevision
} from '../../db/templates/product-templates.ts'
import { ensureHashed, findTemplateByHash } from '../../db/templates/revisions/hashes.ts'
import { permits } from '../../db/templates/rule.ts'
import { parseHash } from '../../domain/document.ts'
import { badInput } from '../errors.ts'
import { cacheableField, type FieldContext } from '../fields.ts'
import { findSelectedFields, isSelected } from '../selection.ts'
import { readRevision } from './revisions.ts'

/** Resolves a template; null if the caller sees no such template. */
export const product = cacheableField(
  { readsByOneStatement: selection => !isSelected(selection, 'revisions') },
  async (_root, { id }: { id: number }, { reader, rule }, info) => {
    if (!rule) return findPartialTemplate(reader.db, id, findSelectedFields(info))
    const template = await findWholeTemplate(reader.db, id)
    return template && permits(rule, template) ? template : null
  }
)

/** Templates that are read together. A filter may have 500 conditions. */
const templatesPerPlan = 200

/** Finds the templates with these ids that the caller sees, with a few statements; returns them by id. */
export async function findVisibleTemplates(
  ids: number[],
  fields: TemplateFields,
  { reader, rule }: FieldContext
): Promise<Map<number, PartialTemplate>> {
  const templates = new Map<number, PartialTemplate>()
  for (let start = 0; start < ids.length; start += templatesPerPlan) {
    const batch = ids.slice(start, start + templatesPerPlan)
    const visible = rule ? [...(await reader.plan({ id: { in: batch } }).findIds(reader.db))] : batch
    for (const [id, template] of await findPartialTemplates(reader.db, visible, fields))
      templates.set(id, template)
  }
  return templates
}

/** Resolves the latest revision with these bytes. */
export const revisionByHash = cacheableField(
  { writeBeforeSnapshot: ensureHashed },
  async (_root, { hash }: { hash: string }, context, info) => {
    const template = await findByHash(hash, context)
    return template ? readRevision(template.id, template.revision, context, info) : null
  }
)

async function findByHash(hash: string, context: FieldContext) {
  const hex = parseHash(hash)
  if (!hex)
    throw badInput(
      'hash must have 64 hexadecimal digits, or the first 8 or more, with or without sha256: in front'
    )
  const isVisible = (template: TemplateWithRevision) => permits(context.rule, template)
  return findTemplateByHash(context.reader.db, hex, { isVisible })
}
