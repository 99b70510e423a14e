import { createHash } from 'node:crypto'
import type { Route } from '../../route.ts'
import { type Html, html } from './layout.ts'

/** A script of the pages. The policy of a page has its hash, so no other script runs. */
export interface PageScript {
  hash: string
  /** The element that loads it. */
  tag: Html
  route: Route
  /** Whether it sends requests to the service. */
  fetches: boolean
}

/** Makes a script with its endpoint. */
export function createScript(name: string, body: string, { fetches = false } = {}): PageScript {
  // A block, because the scripts of a page share their names otherwise.
  const text = `{\n${body}}\n`
  const hash = `sha256-${createHash('sha256').update(text).digest('base64')}`
  // Relative to the pages; another address for another script, because browsers keep it.
  const address = `${name}?${encodeURIComponent(hash)}`
  return {
    hash,
    tag: html`<script src="${address}" integrity="${hash}" defer></script>`,
    fetches,
    route: () => ({
      handler: async (_request, reply) =>
        reply
          .headers({ 'Cache-Control': 'public, max-age=31536000, immutable' })
          .type('text/javascript; charset=utf-8')
          .send(text)
    })
  }
}
