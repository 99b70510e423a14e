/** The longest e-mail address, in characters: 64 before the @ and 255 behind it, RFC 5321 §4.5.3.1. */
export const longestEmail = 320

/** E-mail addresses match without regard to case; white space counts. What is too long is nobody's, and stays as it is. */
export function emailKey(email: string): string {
  // Before normalisation, which takes time by the square of the length.
  return email.length > longestEmail ? email : email.normalize('NFC').toLowerCase()
}
