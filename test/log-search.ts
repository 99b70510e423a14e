/** Searches every log line of the tests for secrets; exits with 1 if it finds one. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { demo } from '../seeds/credentials.ts'
import { logDirectory, marker, secretsFile } from './support/service/secrets.ts'

const generated = existsSync(secretsFile) ? readFileSync(secretsFile, 'utf8').split('\n').filter(Boolean) : []
const forbidden = [
  marker,
  encodeURIComponent(marker),
  demo.clientSecret,
  demo.password,
  Buffer.from(`${demo.clientId}:${demo.clientSecret}`).toString('base64'),
  '$argon2id$',
  'PRIVATE KEY',
  '"d":"',
  ...generated
]
// A JWT, or credentials after their scheme.
const shapes = /eyJ[\w-]{8,}\.[\w-]{8,}|\b(basic|bearer) +[\w+/.~-]{12,}/i

const lines = existsSync(logDirectory)
  ? readdirSync(logDirectory)
      .filter(name => name.endsWith('.log'))
      .flatMap(name => readFileSync(new URL(name, logDirectory), 'utf8').split('\n').filter(Boolean))
  : []
const leaks = lines.filter(line => shapes.test(line) || forbidden.some(text => line.includes(text)))

for (const leak of leaks) console.error(`a secret in the log: ${leak}`)
console.log(`# searched ${lines.length} log lines for secrets: ${leaks.length} found`)
// No log line at all means that the search did not work.
if (leaks.length > 0 || (process.env.CI && lines.length === 0)) process.exitCode = 1
