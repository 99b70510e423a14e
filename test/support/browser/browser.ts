import { createHash, randomBytes } from 'node:crypto'
import type { ClientToInsert } from '../../../db/accounts/clients.ts'
import type { Db } from '../../../db/schema.ts'
import { secret } from '../service/secrets.ts'
import { addClient, client, user } from '../service/service.ts'

/** A page or a redirect, as a browser without scripts sees it. */
export interface Visit {
  status: number
  headers: Headers
  text: string
  /** The target of a redirect. */
  location: URL | undefined
}

/** A browser without scripts. It keeps cookies and submits forms with their hidden fields. */
export class TestBrowser {
  readonly cookies = new Map<string, string>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Requests a path below the service's URL. */
  async visit(path: string, init: RequestInit = {}): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${this.#url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) }
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookies.set(name, value)
    }
    const location = response.headers.get('location')
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, response.url)
    }
  }

  post(path: string, form: Record<string, string> | string, headers: Record<string, string> = {}) {
    return this.visit(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString()
    })
  }

  /** Submits the form of a page with its hidden fields and the given ones. */
  submit(page: Visit, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const [, action = ''] = /<form method="post" action="([^"]*)">/.exec(page.text) ?? []
    return this.post(`/oauth/${action}`, { ...hiddenFields(page.text), ...fields }, headers)
  }
}

const unescapeText = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

export const hiddenFields = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
      unescapeText(name as string),
      unescapeText(value as string)
    ])
  )

export const redirectUri = 'https://app.example/callback'

/** Adds `web`, a public client whose users are not asked for their consent. */
export const addWebClient = (db: Db, more: Partial<ClientToInsert> = {}) =>
  addClient(db, {
    id: 'web',
    grantTypes: ['authorization_code', 'refresh_token'],
    isPublic: true,
    redirectUris: [redirectUri],
    firstParty: true,
    ...more
  })

/** The fields of the login page. */
export const login = { username: user.email, password: user.password, decision: 'login' }

/** Creates a verifier and its challenge (RFC 7636 §4). */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns the parameters of an authorization request. `more` changes them; undefined omits one. */
export function authorization(more: Record<string, string | undefined> = {}): Record<string, string> {
  const all = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: 'read',
    state: secret('state'),
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
    ...more
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
}

export const authorizePath = (parameters: Record<string, string>): string =>
  `/oauth/authorize?${new URLSearchParams(parameters)}`
