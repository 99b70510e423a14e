import { isIP } from 'node:net'
import { toEntries } from './lists.ts'
import { text } from './setting.ts'

function isNetwork(entry: string): boolean {
  const [address = '', bits = '', ...more] = entry.split('/')
  const longest = { 4: 32, 6: 128 }[isIP(address)]
  return longest !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= longest && more.length === 0
}

/** A setting that is a list of networks. */
export const networks = (description: string) =>
  text(list => toEntries(list).every(isNetwork), { expected: 'networks such as 10.1.0.0/16', description })
