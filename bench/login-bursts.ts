/** Sends bursts of 200 logins until SIGTERM. Then prints the number of responses by status. */
import { tokenLoad } from './credentials.ts'

const [, , url] = process.argv
const answers: Record<string, number> = {}
let isRunning = true
process.once('SIGTERM', () => {
  isRunning = false
})

while (isRunning) {
  const statuses = await Promise.all(Array.from({ length: 200 }, login))
  for (const status of statuses) answers[status] = (answers[status] ?? 0) + 1
}
console.log(JSON.stringify(answers))

async function login(): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', ...tokenLoad })
  await response.arrayBuffer()
  return response.ok || response.headers.has('retry-after') ? String(response.status) : 'hasty'
}
