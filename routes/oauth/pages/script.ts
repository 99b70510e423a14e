import { createHash } from 'node:crypto'
import type { Route } from '../../route.ts'
import { type Html, html } from './layout.ts'

/** A script of the pages. The Content-Security-Policy of a page has the hashes of its scripts, so no other script runs. */
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
  // In a block, because the scripts of a page would otherwise share their names.
  const text = `{\n${body}}\n`
  const hash = `sha256-${createHash('sha256').update(text).digest('base64')}`
  // The address is relative to the pages. It contains the hash, because browsers cache the script.
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
