import formbody from '@fastify/formbody'
import fp from 'fastify-plugin'

/** Bytes of a form body: a token request has a few short parameters. */
const bodyLimit = 16 * 1024

/** A form body whose parameters cannot be told; the text says why, and quotes nothing. */
export class MalformedForm {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** The parameters of a form body by name. */
export type Form = Record<string, string>

/** Form bodies and no others, in the scope it is registered in; parsers of a host stay outside. */
export const formBody = fp(
  async app => {
    app.removeAllContentTypeParsers()
    // A malformed body is answered only after the client is known: it comes as a value, not as an error.
    await app.register(formbody, { bodyLimit, parser: parseForm as never })
  },
  { name: 'product-form-body', fastify: '5.x' }
)

/** `application/x-www-form-urlencoded`, strictly: RFC 6749 appendix B, and each parameter once, §3.2. */
export function parseForm(text: string): Form | MalformedForm {
  const form: Form = Object.create(null)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const [name, value] = splitAt(pair, '=').map(formDecode)
    if (name === undefined || value === undefined) return new MalformedForm('a parameter is not well encoded')
    if (name in form) return new MalformedForm('a parameter is given twice')
    form[name] = value
  }
  return form
}

/**
 * Percent-decoding, `+` a space. Undefined for a malformed escape, bytes that are no UTF-8, and NUL.
 */
export function formDecode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    // Bytes outside of UTF-8 that were not escaped have become U+FFFD before they came here.
    return decoded.includes('\0') || text.includes('\uFFFD') ? undefined : decoded
  } catch {
    return undefined
  }
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
