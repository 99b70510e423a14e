/** Parameters of a form body by name. */
export type Form = Record<string, string>

/**
 * Parses `application/x-www-form-urlencoded` strictly: RFC 6749 appendix B; no repeated parameters, §3.2. Returns a
 * text that says what is wrong with a malformed form, and quotes nothing from it.
 */
export function parseForm(text: string): Form | string {
  const pairs = decodePairs(text)
  if (!pairs) return 'a parameter is not encoded correctly'
  const form: Form = Object.create(null)
  for (const [name, value] of pairs) {
    if (name in form) return 'a parameter is repeated'
    form[name] = value
  }
  return form
}

/** Splits and decodes a form; undefined if a name or a value is not encoded correctly. */
export function decodePairs(text: string): [name: string, value: string][] | undefined {
  const pairs: [string, string][] = []
  for (const pair of text.split('&').filter(pair => pair !== '')) {
    const [, name = '', given = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    const [key, value] = [formDecode(name), formDecode(given)]
    if (key === undefined || value === undefined) return undefined
    pairs.push([key, value])
  }
  return pairs
}

/** Decodes a form value. Undefined for a malformed escape, bytes that are not UTF-8, and NUL. */
export function formDecode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    // Unescaped bytes that are not UTF-8 were replaced by U+FFFD when the body was read.
    return decoded.includes('\0') || text.includes('\uFFFD') ? undefined : decoded
  } catch {
    return undefined
  }
}
