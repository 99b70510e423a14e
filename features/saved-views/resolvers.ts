import { readFileSync } from 'node:fs'
import { freeItems, type WithDemands } from '../../graphql/admission/demands.ts'
import type { Scoped } from '../../graphql/admission/scopes.ts'
import { baseCost } from '../../graphql/admission/unit-costs.ts'
import { addToApi, type SchemaChange } from '../../graphql/api.ts'
import { badInput } from '../../graphql/errors.ts'
import { type CallerContext, mutationField, uncacheableField } from '../../graphql/fields.ts'
import { toUserErrorsOfFailure } from '../../graphql/resolvers/user-errors.ts'
import { costOfWrite } from '../../graphql/resolvers/writing.ts'
import { omitNullish } from '../../runtime/json-values.ts'
import { locate } from '../../runtime/package/package-files.ts'
import * as views from './views.ts'

const toEditor = ({ caller: { subject, role, scopes, mayPublish, rule } }: CallerContext): views.Editor => ({
  subject,
  isUser: role !== null,
  isAdmin: scopes.includes('admin'),
  mayPublish,
  hasRule: rule !== undefined
})

const toObject = (view: views.StoredView, editor: views.Editor) => ({
  id: view.id,
  name: view.name,
  query: view.query,
  columns: JSON.parse(view.columns),
  shared: view.shared === 1,
  mayChange: views.mayChange(view, editor)
})

const Query = {
  savedViews: uncacheableField(
    { ownCost: () => baseCost, items: freeItems },
    async (_root, _args, context) => {
      const editor = toEditor(context)
      const found = await views.listViews(context.reader.primary, editor)
      return found.map(view => toObject(view, editor))
    }
  ),

  defaultView: uncacheableField({ ownCost: () => baseCost }, async (_root, _args, context) => {
    const editor = toEditor(context)
    const view = await views.findDefaultView(context.reader.primary, editor)
    return view && toObject(view, editor)
  })
} satisfies Record<string, WithDemands>

/** Makes the resolver of a mutation of views. It returns mistakes and missing rights of the caller as user errors. */
const viewMutation = <Args extends object, Payload extends object>(
  change: (args: Args, editor: views.Editor, context: CallerContext) => Promise<Payload>
) =>
  mutationField({ scope: 'write', cost: costOfWrite }, async (_root, args: Args, context) => {
    try {
      return { ...(await change(args, toEditor(context), context)), userErrors: [] }
    } catch (error) {
      return { userErrors: toUserErrorsOfFailure(error, args) }
    }
  })

const Mutation = {
  saveView: viewMutation(async ({ input }: { input: views.ViewInput }, editor, { writeDb }) => ({
    view: toObject(
      await views.saveView(writeDb, omitNullish({ ...input }) as views.ViewInput, editor),
      editor
    )
  })),

  setDefaultView: viewMutation(async ({ id }: { id?: string | null }, editor, { writeDb }) => {
    // A forgotten variable must not take the choice away.
    if (id === undefined) throw badInput('setDefaultView needs an id, or null for no default view')
    await views.setDefaultView(writeDb, id, editor)
    const view = await views.findDefaultView(writeDb, editor)
    return { view: view && toObject(view, editor) }
  }),

  deleteView: viewMutation(async ({ id }: { id: string }, editor, { writeDb }) => {
    await views.deleteView(writeDb, id, editor)
    return { deletedId: id }
  })
} satisfies Record<string, WithDemands<Scoped>>

const types = readFileSync(locate('features/saved-views/schema.graphql'), 'utf8')

/** Adds views to the schema and the resolvers. */
export const schema: SchemaChange = { extendSchema: api => addToApi(api, types, { Query, Mutation }) }
