/** Returns 256 random bits as base64url: 43 characters. */
export const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)))

export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, found => ({ '+': '-', '/': '_' })[found] ?? '')
