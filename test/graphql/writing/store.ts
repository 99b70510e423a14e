import type { Test } from 'tap'
import type { ServiceOptions } from '../../../index.ts'
import { accessToken, graphqlRequest } from '../../support/http/http.ts'
import { type Service, service } from '../../support/service/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about to check
export type Answer = { status: number; data: any; errors: any; headers: Headers }

/** A service, and a function that sends an operation with a token of these scopes. */
export async function writer(t: Test, options: ServiceOptions = {}) {
  const started: Service = await service(t, options)
  const tokens = new Map<string, Promise<string>>()
  const tokenFor = (scope: string) => {
    const token = tokens.get(scope) ?? accessToken(started.url, { scope })
    tokens.set(scope, token)
    return token
  }
  const send = async (
    query: string,
    variables: object = {},
    {
      scope = 'read write',
      headers = {},
      ...more
    }: { scope?: string; headers?: Record<string, string>; operationName?: string } = {}
  ): Promise<Answer> => {
    const response = await graphqlRequest(
      started.url,
      await tokenFor(scope),
      { query, variables, ...more },
      headers
    )
    const { data, errors } = (await response.json()) as Pick<Answer, 'data' | 'errors'>
    return { status: response.status, data, errors, headers: response.headers }
  }
  return { ...started, tokenFor, send }
}

const payload =
  'product { id revision hash name data timeModified } userErrors { code message path pointer currentRevision }'

export const create = `mutation ($input: CreateProductInput!, $message: String) {
  write: createProduct(input: $input, message: $message) { ${payload} warnings { code pointer } } }`
export const update = `mutation ($id: Int!, $input: UpdateProductInput!, $revision: Int, $message: String) {
  write: updateProduct(id: $id, input: $input, expectedRevision: $revision, message: $message) { ${payload} warnings { code pointer } } }`
export const remove = `mutation ($id: Int!, $revision: Int) {
  write: deleteProduct(id: $id, expectedRevision: $revision) { ${payload} } }`
export const restore = `mutation ($id: Int!, $revision: Int!) { write: restoreProduct(id: $id, revision: $revision) { ${payload} } }`

/** Values of a template that every check accepts. */
export const values = {
  blockchainId: 1,
  maxItems: 10,
  name: 'First',
  data: '{"name" : "First",\n"attributes":[]}'
}
