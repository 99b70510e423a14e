/** Templates and revocations that were acknowledged, and what is left of them. */
import { openDatabase } from '../../features/database.ts'
import { accessToken, basic, graphqlRequest } from '../support/http/http.ts'
import { addClient, client } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const id = 'worker'
const headers = { authorization: basic(id, client.secret) }
const form = { grant_type: 'client_credentials', username: undefined, password: undefined }

/** Adds the client to a migrated store. */
export async function addWorker(url: string): Promise<void> {
  const db = await openDatabase(url)
  await addClient(db, { id, grantTypes: ['client_credentials'] })
  await db.destroy()
}

const workerToken = (url: string): Promise<string> => accessToken(url, form, headers)

/** Runs jobs one after the other in each of several loops until one of them returns false. */
const inLoops = (count: number, job: () => Promise<boolean>): Promise<unknown> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      while (await job());
    })
  )

export async function issueTokens(url: string, count: number): Promise<string[]> {
  const tokens: string[] = []
  let begun = 0
  await inLoops(8, async () => {
    if (begun++ >= count) return false
    tokens.push(await workerToken(url))
    return true
  })
  return tokens
}

export interface Acknowledged {
  /** The ids of the templates. */
  created: number[]
  /** The tokens. */
  revoked: string[]
}

/** Creates templates and revokes tokens until enough of both are acknowledged. */
export async function createAndRevoke(
  url: string,
  tokens: readonly string[],
  acknowledged: Acknowledged
): Promise<void> {
  const writer = await workerToken(url)
  const { length: enough } = tokens
  const waiting = [...tokens]
  // Of those that the demo data has not got.
  let next = 1000
  const create = async () => {
    if (acknowledged.created.length >= enough) return false
    // What was not acknowledged may exist: the next one has another id.
    const id = next++
    if (await isCreated(url, writer, id)) acknowledged.created.push(id)
    return true
  }
  const revoke = async () => {
    const token = waiting.pop()
    if (token === undefined) return false
    if (await isRevoked(url, token)) acknowledged.revoked.push(token)
    else waiting.push(token)
    return true
  }
  await Promise.all([inLoops(8, create), inLoops(8, revoke)])
}

async function isCreated(url: string, token: string, id: number): Promise<boolean> {
  const input = `{ id: ${id}, blockchainId: 1, maxItems: 1, name: "n", data: "{}" }`
  const query = `mutation { createProduct(input: ${input}) { product { id } } }`
  const text = await graphqlRequest(url, token, { query }).then(
    response => response.text(),
    () => ''
  )
  return text === `{"data":{"createProduct":{"product":{"id":${id}}}}}`
}

async function isRevoked(url: string, token: string): Promise<boolean> {
  const body = new URLSearchParams({ token })
  const response = await fetch(`${url}/oauth/revoke`, { method: 'POST', headers, body }).catch(
    () => undefined
  )
  return response?.status === 200
}

/** Of what was acknowledged: the templates that are not there, and the tokens that work. */
export async function findLost(url: string, { created, revoked }: Acknowledged): Promise<Acknowledged> {
  await until(async () => (await fetch(`${url}/readyz`)).status === 200)
  const query = '{ allProducts { id } }'
  const response = await graphqlRequest(url, await workerToken(url), { query })
  const { data } = (await response.json()) as { data: { allProducts: { id: number }[] } }
  const found = new Set(data.allProducts.map(({ id }) => id))
  const accepted: string[] = []
  const left = [...revoked]
  await inLoops(8, async () => {
    const token = left.pop()
    if (token === undefined) return false
    const { status } = await graphqlRequest(url, token, { query: '{ __typename }' })
    if (status !== 200 && status !== 401) throw new Error(`answered ${status}`)
    if (status === 200) accepted.push(token)
    return true
  })
  return { created: created.filter(id => !found.has(id)), revoked: accepted }
}
