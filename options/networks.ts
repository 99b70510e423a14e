import { isIP } from 'node:net'
import { toEntries } from './lists.ts'
import { text } from './setting.ts'

/** Whether a text is a network such as `10.1.0.0/16`, whose prefix has at least `shortest` bits. */
export function isNetwork(text: string, { shortest = 0, mayBeAddress = false } = {}): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const longest = { 4: 32, 6: 128 }[isIP(address)]
  if (longest === undefined || address.includes('%') || more.length > 0) return false
  if (bits === undefined) return mayBeAddress
  return /^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) >= shortest && Number(bits) <= longest
}

/** A setting that is a list of networks. */
export const networks = text(
  list => toEntries(list).every(entry => isNetwork(entry)),
  'networks such as 10.1.0.0/16'
)
