import { fieldNames } from '../../domain/columns.ts'
import type { ProcessSettings } from '../../options/index.ts'
import { demo } from '../../seeds/credentials.ts'

/** Reads all fields of every template. */
export const contractQuery = `query { allProducts { ${fieldNames.join(' ')} } }`

/** Formats the banner: the address, the demo credentials, and commands to paste into another terminal. */
export function formatBanner(
  listeningOrigin: string,
  { socketPath, tlsCertFile, explorer }: ProcessSettings,
  demoWorks: boolean
): string {
  const origin =
    socketPath === undefined ? listeningOrigin : `${tlsCertFile === undefined ? 'http' : 'https'}://localhost`
  const trust = tlsCertFile === undefined ? '' : ` --cacert ${tlsCertFile}`
  const curl = `curl -sS${trust}${socketPath === undefined ? '' : ` --unix-socket ${socketPath}`}`
  const address = `product-templates is listening on ${socketPath ?? origin}`
  if (!demoWorks) return `\n${address}\nThe demo credentials have been replaced.\n`
  // Each command works on its own in a new shell.
  const form = `grant_type=password -d username=${demo.email} -d password=${demo.password}`
  const token = `${curl} -u ${demo.clientId}:${demo.clientSecret} -d ${form} ${origin}/oauth/token`
  const bearer = `$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`
  const body = JSON.stringify({ query: contractQuery, variables: {} })
  return `
${address}

Demo client: ${demo.clientId} / ${demo.clientSecret}
Demo user:   ${demo.email} / ${demo.password}
${explorer && socketPath === undefined ? `\nLook at the templates, logged in as the demo user:\n${origin}/\n` : ''}
Get a token:
${token}

Read all templates:
${curl} -H "Authorization: Bearer ${bearer}" -H 'Content-Type: application/json' -d '${body}' ${origin}/graphql
`
}
