import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { locate } from '../../../runtime/package/package-files.ts'
import type { Route } from '../../route.ts'
import type { Form } from '../parameters.ts'

// Browsers hash line feeds, whatever a checkout has.
const style = readFileSync(locate('routes/oauth/pages/style.css'), 'utf8').replaceAll('\r\n', '\n')
const styleHash = hash('sha256', style, 'base64')

/** Makes the headers of a page. Only these scripts may run, and no other origin may frame it, RFC 9700 §4.16. */
export const pageHeaders = (formTargets: string, scripts: PageScript[] = []): Record<string, string> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}';${formatScriptPolicy(scripts)} form-action ${formTargets}; frame-ancestors 'none'; base-uri 'none'`,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin'
})

const formatScriptPolicy = (scripts: PageScript[]): string =>
  (scripts.length > 0 ? ` script-src ${scripts.map(({ hash }) => `'${hash}'`).join(' ')};` : '') +
  (scripts.some(({ fetches }) => fetches) ? " connect-src 'self';" : '')

/** Makes a whole page. */
export const page = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body><main>
<h1>${title}</h1>
${body}
</main></body>
</html>
`.text

/** HTML that is not escaped again. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | Html[] | string | undefined | false

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
}

export const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, character => entities[character] as string)

function format(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeText(part)
  return Array.isArray(part) ? part.map(format).join('') : part.text
}

/** Makes HTML. Values are escaped, also in attributes, which must be quoted. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(String.raw({ raw: texts }, ...parts.map(format)))

/** Makes a form. It sends the hidden fields with the user's answer. */
export const form = (action: string, hidden: Form, content: Html, attribute?: Html): Html => {
  const fields = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`
  )
  return html`<form method="post" action="${action}"${attribute}>
${fields}
${content}
</form>
`
}

/** Makes a form of the account page for one entry of a list, such as a session. */
export const entry = (hidden: Form, content: Html): Html =>
  form('account', hidden, content, html` class="entry"`)

/** Formats a stored time to the minute, in UTC, because the page has no script that knows the user's time zone. */
export const formatTime = (time: string): Html =>
  timeElement(time, `${time.slice(0, 16).replace('T', ' ')} UTC`)

export const formatDay = (time: string): Html => timeElement(time, time.slice(0, 10))

const timeElement = (time: string, text: string): Html => html`<time datetime="${time}">${text}</time>`

/**
 * A script of the pages. The Content-Security-Policy of a page has the hashes of its scripts, so no other script runs.
 */
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
  // Each script is in a block, because the scripts of a page would otherwise share their names.
  const text = `{\n${body}}\n`
  const digest = `sha256-${hash('sha256', text, 'base64')}`
  // The address is relative to the pages. It contains the hash, because browsers cache the script.
  const address = `${name}?${encodeURIComponent(digest)}`
  return {
    hash: digest,
    tag: html`<script src="${address}" integrity="${digest}" defer></script>`,
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
