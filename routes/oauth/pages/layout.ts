import { createHash } from 'node:crypto'
import type { Route } from '../../route.ts'
import type { Form } from '../parameters.ts'

const style = `
:root { color-scheme: light dark; --page: #f7f6f3; --card: #fff; --ink: #1c1b19; --muted: #6d6a63; --line: #e4e1da;
  --accent: #2f5d50; --on-accent: #fff; --warning: #a2542a }
@media (prefers-color-scheme: dark) { :root { --page: #141513; --card: #1d1f1c; --ink: #ecebe6; --muted: #9a988f;
  --line: #2e302c; --accent: #8fc7b3; --on-accent: #141513; --warning: #e0a07a } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 400px; padding: clamp(20px, 6vw, 32px); background: var(--card); border: 1px solid var(--line);
  border-radius: 14px }
h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.25; letter-spacing: -.01em }
h2 { margin: 32px 0 12px; font-size: 16px }
p { margin: 0 0 16px; color: var(--muted); overflow-wrap: anywhere }
strong { color: var(--ink) }
ul { margin: 0 0 20px; padding-left: 20px }
label { display: block; margin-bottom: 16px; font-weight: 600 }
input { display: block; width: 100%; margin-top: 4px; padding: 8px 12px; font: inherit; font-weight: 400;
  color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 9px }
label[for] { margin-bottom: 4px }
.password { display: flex; gap: 8px }
.password input { flex: 1; min-width: 0; margin: 0 }
.password button { padding-inline: 12px; min-width: 66px }
main:has(.entry) { max-width: 560px }
time { white-space: nowrap }
.entry { display: flex; gap: 12px; align-items: flex-start; justify-content: space-between; margin-bottom: 12px }
.entry p { margin: 0 }
.entry button { flex: none; padding-inline: 12px }
[role=alert]:empty { margin: 0 }
.actions { display: flex; gap: 12px; margin-top: 20px; flex-wrap: wrap }
button, a.button { padding: 8px 20px; font: inherit; font-weight: 600; color: var(--ink); background: none;
  border: 1px solid var(--line); border-radius: 9px; cursor: pointer }
button[hidden] { display: none }
button.primary, a.primary { color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
button.wide { width: 100%; margin-top: 16px }
a { color: var(--accent) }
a.button { display: inline-block; text-decoration: none }
button.link { padding: 0; border: 0; color: var(--accent); text-decoration: underline }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
[role=status] { color: var(--ink) }
[role=alert] { color: var(--warning) }
[role=alert]::first-letter { text-transform: uppercase }
`

const styleHash = createHash('sha256').update(style).digest('base64')

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
