import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'
import { type Actor, findActorNames } from '../../db/accounts/names.ts'
import type { Db } from '../../db/schema.ts'
import { readCostPerCharacter, textCostPerCharacter } from '../../db/templates/costs.ts'
import { type FilterInput, toFilter } from '../../db/templates/filter/input.ts'
import { type Plan, planFilter } from '../../db/templates/filter/plan.ts'
import type { TemplateSnapshot } from '../../db/templates/read/snapshot.ts'
import { readDocument } from '../../db/templates/revisions/revisions.ts'
import { costOfPermits, permits } from '../../db/templates/rules/rule.ts'
import type { ProductTemplate } from '../../db/templates/table/columns.ts'
import { type ProductDocument, parseDocument } from '../../db/templates/table/document.ts'
import {
  type FoundTemplate,
  isReadField,
  type ReadField,
  type TemplateFields
} from '../../db/templates/table/product-templates.ts'
import { unavailable } from '../../errors.ts'
import { inSpan } from '../../tracing.ts'
import type { Context } from '../context.ts'
import { type FieldDemands, withDemands } from '../demands.ts'
import type { Operation } from './operation.ts'
import type { Output } from './output.ts'

/** What the resolvers of an operation read with. */
export interface Reading {
  /** The snapshot of an operation that lists templates. Its statements end with the operation. */
  db: Db
  documents: ReturnType<typeof createDocuments>
  plan: ReturnType<typeof createPlanner>
  /** Whether the caller sees a template with these contents. */
  sees(template: ProductTemplate): boolean
  /** Finds the names of people. The response is then not kept, because names may change when the templates do not. */
  findNames(actors: Actor[]): ReturnType<typeof findActorNames>
}

/** Makes the resolver of a field that reads. */
export const query = <Given extends object, Result>(
  demands: FieldDemands,
  read: (given: Given, context: Context, info: GraphQLResolveInfo) => Promise<Result>
) =>
  withDemands(
    demands,
    (_root: unknown, given: Given, context: Context, info: GraphQLResolveInfo): Promise<Result> =>
      context.operation.evaluate(() => read(given, context, info))
  )

/** Creates what the resolvers read with; `snapshot` is undefined if the operation lists no templates. */
export function createReading(output: Output, snapshot: TemplateSnapshot | undefined): Reading {
  const { operation } = output
  const db = snapshot?.db ?? operation.db
  const { rule } = operation.input.caller
  return {
    db,
    documents: createDocuments(operation, db),
    plan: createPlanner(operation, snapshot),
    sees(template) {
      if (rule) operation.spend(costOfPermits(rule, template))
      return permits(rule, template)
    },
    findNames(actors) {
      output.isCacheable = false
      return findActorNames(db, actors)
    }
  }
}

/** Creates the function that plans filters in the snapshot. Equal filters share a plan, so their matches are found once. */
function createPlanner(operation: Operation, snapshot: TemplateSnapshot | undefined) {
  const { rule } = operation.input.caller
  const plans = new Map<string, Promise<Plan>>()
  const create = async (where: FilterInput | null | undefined, text: string) => {
    await operation.turn()
    const filter = toFilter(where, rule)
    operation.spend((text.length + (rule?.text.length ?? 0)) * textCostPerCharacter)
    if (!snapshot) throw new TypeError('the demands of the field must say that it lists templates')
    return planFilter(snapshot.db, filter, operation)
  }
  return (where: FilterInput | null | undefined): Promise<Plan> => {
    const key = JSON.stringify(where ?? {})
    const planned = plans.get(key) ?? inSpan('plan', {}, () => create(where, key))
    plans.set(key, planned)
    return planned
  }
}

/** Reads and parses documents. Keeps the last one, because the aliases of a template are completed one after another. */
function createDocuments(operation: Operation, db: Db) {
  let last: { template: FoundTemplate; data: string } | undefined
  let parsed: { data: string; document: ProductDocument | null } | undefined
  return {
    parse(data: string): ProductDocument | null {
      if (parsed?.data !== data) {
        operation.spend(data.length * readCostPerCharacter)
        parsed = { data, document: parseDocument(data) }
      }
      return parsed.document
    },

    /** Returns the document of a template. Reads a long document as it was when the template was found. */
    async read(template: FoundTemplate): Promise<string> {
      if (last?.template !== template) {
        const data = await readDocument(db, template, operation)
        if (data === undefined) throw unavailable('the history of a template was deleted while it was read')
        last = { template, data }
      }
      return last.data
    }
  }
}

/** Fields for which the document of a template is read. */
const documentFields = new Set(['data', 'document', 'hash'])

/** Finds the fields of a template that are selected anywhere below a field. */
export function selectedFields(info: Selection): TemplateFields {
  const found = new Set<ReadField>()
  for (const { name } of findNodes(info)) {
    if (isReadField(name.value)) found.add(name.value)
    // A long document is read later, as it was in this revision.
    if (documentFields.has(name.value)) found.add('data').add('revision')
  }
  return found
}

/** Finds the selected fields of the contents of revisions, anywhere below a field; undefined if there are none. */
export function selectedContents({ fieldNodes, fragments }: Selection): TemplateFields | undefined {
  const nodes = findNodes({ fieldNodes, fragments }).filter(({ name }) =>
    ['contents', 'product'].includes(name.value)
  )
  return nodes.length === 0 ? undefined : selectedFields({ fieldNodes: nodes, fragments })
}

/** Whether a field of this name is selected anywhere below a field. */
export const isSelected = (info: Selection, field: string): boolean =>
  findNodes(info).some(({ name }) => name.value === field)

type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/** Finds all nodes below a field. Visits each fragment once. */
function findNodes({ fieldNodes, fragments }: Selection): FieldNode[] {
  const found: FieldNode[] = []
  const seen = new Set<string>()
  const lookWithin = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.kind === Kind.FIELD) found.push(selection)
        lookWithin(selection.selectionSet)
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value)
        lookWithin(fragments[selection.name.value]?.selectionSet)
      }
    }
  }
  for (const { selectionSet } of fieldNodes) lookWithin(selectionSet)
  return found
}
