import { hidePasswords } from '../db/url.ts'
import type { SettingEntry } from './check.ts'

const mask = '***'

/** Returns what may be shown of a value: nothing of a secret, and no password of a URL. */
export function maskValue({ secret }: SettingEntry, value: unknown): unknown {
  if (value === undefined || !secret) return value
  return secret === 'password' ? (hidePasswords(String(value), mask) ?? mask) : mask
}
