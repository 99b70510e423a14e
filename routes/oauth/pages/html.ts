/** A piece of HTML, which is not escaped again. */
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

/** Makes HTML. Values are escaped, also within attributes, which must be quoted. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(String.raw({ raw: texts }, ...parts.map(format)))
