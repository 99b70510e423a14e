import type { NamedView, SharedViewStore } from '../../../explorer/additions.ts'
import { read, write } from '../../../explorer/requests.ts'

const fields = 'id name query columns shared mayChange'
const saving = `mutation SaveView($input: SaveViewInput!) {
  payload: saveView(input: $input) { view { ${fields} } userErrors { message } } }`
const choice = 'mutation SetDefault($id: ID) { payload: setDefaultView(id: $id) { userErrors { message } } }'
const deletion = 'mutation DeleteView($id: ID!) { payload: deleteView(id: $id) { userErrors { message } } }'

interface Answer {
  payload: { view?: NamedView | null; userErrors: { message: string }[] }
}

/** The views at the service. */
export const viewStore: SharedViewStore = {
  async list() {
    const { savedViews, defaultView } = await read<{
      savedViews: NamedView[]
      defaultView: { id: string } | null
    }>(`query Views { savedViews { ${fields} } defaultView { id } }`)
    return savedViews.map(view => ({ ...view, isDefault: view.id === defaultView?.id }))
  },

  async save({ id, name, query, columns, shared }) {
    const { payload } = await write<Answer>(saving, { input: { id, name, query, columns, shared } })
    return payload.view ?? { problems: toProblems(payload) }
  },

  remove: async id => toProblems((await write<Answer>(deletion, { id })).payload),

  async readDefaultColumns() {
    const answer = await read<{ defaultView: { columns: string[] } | null }>(
      'query Default { defaultView { columns } }'
    )
    return answer.defaultView?.columns
  },

  setDefault: async id => toProblems((await write<Answer>(choice, { id: id ?? null })).payload)
}

const toProblems = ({ userErrors }: Answer['payload']) => userErrors.map(({ message }) => message)
