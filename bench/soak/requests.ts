import { demo } from '../../seeds/credentials.ts'
import { passwordGrant, tokenRequest } from '../credentials.ts'

/** A client that counts its requests and records unexpected responses. */
export class Requests {
  readonly url: string
  readonly client: { id: string; secret: string }
  sent = 0
  readonly errors: string[] = []

  constructor(url: string, client: { id: string; secret: string }) {
    this.url = url
    this.client = client
  }

  /** Sends a request. Returns its JSON body with the ETag; undefined if the request fails. */
  async send(path: string, init: RequestInit, ...expected: number[]): Promise<ResponseBody | undefined> {
    this.sent++
    try {
      const response = await fetch(`${this.url}${path}`, init)
      const text = await response.text()
      const body =
        /json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : undefined
      if (!expected.includes(response.status) || (response.status === 200 && body?.errors))
        this.errors.push(`${path} answers ${response.status}: ${text.slice(0, 200)}`)
      return { ...body, etag: response.headers.get('etag') ?? undefined }
    } catch (error) {
      this.errors.push(`${path}: ${error}`)
      return undefined
    }
  }

  graphql(token: string, query: string, variables: object = {}): Promise<ResponseBody | undefined> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return this.send('/graphql', { method: 'POST', headers, body: JSON.stringify({ query, variables }) }, 200)
  }

  oauth(endpoint: string, form: Record<string, string>, expected = 200): Promise<ResponseBody | undefined> {
    return this.send(`/oauth/${endpoint}`, { method: 'POST', ...tokenRequest(this.client, form) }, expected)
  }

  async login(): Promise<string> {
    const answer = await this.oauth('token', { ...passwordGrant, scope: 'read write' })
    return String(answer?.access_token)
  }
}

/** A body of any endpoint. */
// biome-ignore lint/suspicious/noExplicitAny: the load looks at few fields, each of another shape
type ResponseBody = Record<string, any>

export const wrongPassword = { ...passwordGrant, username: demo.email, password: 'not the password' }
