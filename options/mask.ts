import type { SettingEntry } from './check.ts'

const mask = '***'

/** Returns what may be shown of a value: nothing of a secret, and no password of a URL. */
export function maskValue({ secret }: SettingEntry, value: unknown): unknown {
  if (value === undefined || !secret) return value
  return secret === 'password' ? maskPasswords(String(value)) : mask
}

/** Masks the passwords in the URL of a database: after the user, and as parameters. */
function maskPasswords(url: string): string {
  if (!/^postgres(ql)?:/.test(url)) return url
  const [address = '', ...rest] = url.split('?')
  const parameters = rest.join('?').split('&')
  const shown = [
    address.replace(/^(\w+:\/\/[^:@/]*):[^/]*@/, `$1:${mask}@`),
    parameters.map(maskParameter).join('&')
  ]
  return shown.filter(Boolean).join('?')
}

function maskParameter(parameter: string): string {
  const [name = ''] = parameter.split('=')
  // The name may be percent-encoded.
  const decoded = [...new URLSearchParams(parameter).keys()][0] ?? ''
  return /pass|secret|token/i.test(decoded) ? `${name}=${mask}` : parameter
}
