import { freeItems } from '../../graphql/admission/demands.ts'
import { type Api, addToApi, type SchemaChange } from '../../graphql/api.ts'
import { type CallerContext, uncacheableField } from '../../graphql/fields.ts'
import { adminQuery } from '../../graphql/resolvers/admin-fields.ts'
import type { ProviderSettings } from './index.ts'
import { readLoginProviders } from './provider.ts'
import { type Identity, listIdentities } from './rows.ts'

/** The additions to the schema. */
const types = `"An OpenID provider on the login page."
type LoginProvider {
  "Identifier in URLs."
  id: ID!
  "Name shown to users."
  name: String!
  "The provider's \`iss\`."
  issuer: String!
}

extend type Query {
  "The OpenID providers on the login page, as configured. Requires the scope \`admin\`."
  loginProviders: [LoginProvider!]!
}
`

/** The addition to the type of users, which the feature `administration` adds before. */
const userTypes = `"An identity of a user at an OpenID provider: \`iss\` and \`sub\` of an ID token."
type UserIdentity {
  "The provider's \`iss\`."
  issuer: String!
  "The user's \`sub\` at the provider."
  subject: String!
}

extend type User {
  "Identities of the user at OpenID providers."
  identities: [UserIdentity!]!
}
`

/**
 * Adds the providers and, if the schema has users, their identities. Rejects with StartError if LOGIN_PROVIDERS is wrong.
 */
async function extendSchema(api: Api, { loginProviders: given }: ProviderSettings): Promise<Api> {
  const providers = await readLoginProviders(given)
  // Without the secrets.
  const listed = providers.map(({ id, name, issuer }) => ({ id, name, issuer }))
  const loginProviders = adminQuery({ items: freeItems }, async () => listed)
  const added = addToApi(api, types, { Query: { loginProviders } })
  return /^type User \{$/m.test(api.schema) ? addToApi(added, userTypes, { User: { identities } }) : added
}

export const schema: SchemaChange = { extendSchema }

/** Reads of identities that have not begun yet. */
const waiting = new WeakMap<CallerContext, { ids: string[]; identities: Promise<Map<string, Identity[]>> }>()

/** The resolver runs for all users of a page before it reads, so one statement reads the identities of all. */
const identities = uncacheableField(
  // The cost of the page of users has the statement.
  { ownCost: () => 0 },
  async ({ id }: { id: string }, _args, context): Promise<Identity[]> => {
    const read = waiting.get(context) ?? startRead(context)
    read.ids.push(id)
    return (await read.identities).get(id) ?? []
  }
)

function startRead(context: CallerContext) {
  const ids: string[] = []
  const identities = Promise.resolve().then(async () => {
    waiting.delete(context)
    return Map.groupBy(await listIdentities(context.reader.primary, ids), ({ userId }) => userId)
  })
  const read = { ids, identities }
  waiting.set(context, read)
  return read
}
