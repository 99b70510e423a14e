/** Decodes a form value. Undefined for a malformed escape, bytes that are not UTF-8, and NUL. */
export function decodeFormValue(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    // Unescaped bytes that are not UTF-8 were replaced by U+FFFD when the body was read.
    return decoded.includes('\0') || text.includes('\uFFFD') ? undefined : decoded
  } catch {
    return undefined
  }
}
