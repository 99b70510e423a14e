/** Verifies a password as often as possible, with the concurrency of the service. Prints the result as JSON. */
import { availableParallelism } from 'node:os'
import { verify } from '@node-rs/argon2'
import { countConcurrentHashes } from '../accounts/credentials/hash-queue.ts'
import { hashPassword } from '../accounts/credentials/secrets.ts'
import { defaultPasswordCost } from '../options/service.ts'

const seconds = Number(process.argv[2])
const password = await hashPassword('a password', defaultPasswordCost)

const before = process.cpuUsage()
const begin = performance.now()
let verified = 0
async function verifyOneByOne(): Promise<void> {
  while (performance.now() - begin < seconds * 1000) {
    await verify(password, 'a password')
    verified++
  }
}
await Promise.all(Array.from({ length: countConcurrentHashes(availableParallelism()) }, verifyOneByOne))
const elapsed = (performance.now() - begin) / 1000
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ perSecond: verified / elapsed, cpu: (user + system) / verified }))
