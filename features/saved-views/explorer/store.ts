import type { NamedView, ViewStore } from '../../../explorer/feature-parts.ts'
import { read, write } from '../../../explorer/requests.ts'

const fields = 'id name query columns shared mayChange'
const saving = `mutation SaveView($input: SaveViewInput!) {
  payload: saveView(input: $input) { view { ${fields} } userErrors { message } } }`
const deletion = 'mutation DeleteView($id: ID!) { payload: deleteView(id: $id) { userErrors { message } } }'

interface Answer {
  payload: { view?: NamedView | null; userErrors: { message: string }[] }
}

/** The views at the service. */
export const viewStore: ViewStore = {
  list: async () =>
    (await read<{ savedViews: NamedView[] }>(`query Views { savedViews { ${fields} } }`)).savedViews,

  async save({ id, name, query, columns, shared }) {
    const { payload } = await write<Answer>(saving, { input: { id, name, query, columns, shared } })
    return payload.view ?? { problems: toProblems(payload) }
  },

  remove: async id => toProblems((await write<Answer>(deletion, { id })).payload)
}

const toProblems = ({ userErrors }: Answer['payload']) => userErrors.map(({ message }) => message)
