/** Maximum length of an e-mail address in characters: 64 before the @ and 255 after it, RFC 5321 §4.5.3.1. */
export const longestEmail = 320

/** Makes the key of an e-mail address. Case is ignored, white space is not. A too long address is unchanged. */
export function emailKey(email: string): string {
  // Checked before normalisation, which takes quadratic time.
  return email.length > longestEmail ? email : email.normalize('NFC').toLowerCase()
}
