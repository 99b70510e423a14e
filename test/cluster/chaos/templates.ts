import { operate, type World } from './requests.ts'

const firstId = 1000
/** Values of a template, after which its writer takes another one. */
const mostValues = 40
/** Lists ask for the same templates until there are so many more. */
const step = 10
/** Templates of a list after all faults. */
const longList = 500

/** Writes one value after the other into a new template. One that is not acknowledged is the last. */
export async function writeTemplate(world: World, ids: number[], token: string): Promise<void> {
  const id = firstId + ids.length
  ids.push(id)
  for (let value = 1; value <= mostValues && !world.isOver(); value++)
    if (!(await writeValue(world, token, id, value))) return
}

async function writeValue(world: World, token: string, id: number, value: number): Promise<boolean> {
  const create = `createProduct(input: { id: ${id}, blockchainId: 1, maxItems: 1, name: "1", data: "{}" })`
  const update = `updateProduct(id: ${id}, input: { name: "${value}" })`
  const mutation = `mutation { written: ${value === 1 ? create : update} { product { id } } }`
  const { start, end, body } = await operate(world, token, mutation)
  const product = body?.data?.written?.product
  const isAcknowledged = product?.id === id
  const key = String(id)
  world.history.push({ kind: 'write', key, value, isAcknowledged, start, end })
  // It was not found.
  if (product === null) world.history.push({ kind: 'read', key, value: 0, isLast: false, start, end })
  return isAcknowledged
}

/** A query, and the templates that its answer must have. */
interface Reading {
  query: string
  ids: number[]
}

/** The ways to read; replicas serve all but the first. */
export const readings: ((world: World, ids: number[]) => Reading)[] = [
  ({ random }, ids) => {
    const id = ids.at(-1 - Math.floor(random() * Math.min(step, ids.length))) as number
    return { query: `{ found: product(id: ${id}) { id name } }`, ids: [id] }
  },
  (_, ids) => {
    const from = step * Math.floor((ids.length - 1) / step)
    const where = `where: { id: { gte: ${firstId + from} } }`
    return { query: `{ found: allProducts(${where}) { id name } }`, ids: ids.slice(from) }
  },
  ({ random }, ids) => {
    const last = ids.slice(-step)
    const where = `first: 50, where: { id: { in: [${last}] } }`
    const name = `q${Math.floor(random() * 1e9)}`
    return { query: `query ${name} { found: products(${where}) { nodes { id name } } }`, ids: last }
  }
]

export async function readTemplates(
  world: World,
  token: string,
  { query, ids }: Reading,
  lastUrl?: string
): Promise<boolean> {
  const { start, end, body } = await operate(world, token, query, lastUrl)
  const found = body?.data?.found
  if (found === undefined || body.errors) return false
  const products: { id: number; name: string }[] = [found?.nodes ?? found ?? []].flat()
  const names = new Map(products.map(({ id, name }) => [id, name]))
  const isLast = lastUrl !== undefined
  for (const id of ids)
    world.history.push({ kind: 'read', key: `${id}`, value: Number(names.get(id) ?? 0), isLast, start, end })
  return true
}

/** Reads all templates once more from an instance. */
export async function readLast(world: World, token: string, ids: number[], url: string): Promise<void> {
  for (let from = 0; from < ids.length; from += longList) {
    const some = ids.slice(from, from + longList)
    const where = `where: { id: { gte: ${some[0]}, lte: ${some.at(-1)} } }`
    const query = `{ found: allProducts(${where}) { id name } }`
    if (!(await readTemplates(world, token, { query, ids: some }, url)))
      throw new Error(`no answer to ${query}`)
  }
}
