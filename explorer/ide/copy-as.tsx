/** @jsxImportSource react */
import { type ToolbarMenu, useGraphiQL } from '@graphiql/react'
import { useState } from 'react'
import { service } from '../api.ts'

/** The menu that copies the operation as code. */
export function CopyAs({ menu: Menu }: { menu: typeof ToolbarMenu }) {
  const query = useGraphiQL(({ queryEditor }) => queryEditor)
  const variables = useGraphiQL(({ variableEditor }) => variableEditor)
  const [copied, setCopied] = useState('')
  const copy = async (format: string) => {
    const operation = { query: query?.getValue() ?? '', variables: variables?.getValue() ?? '' }
    await navigator.clipboard.writeText(formats[format]?.(operation, service.href) ?? '')
    setCopied(format)
    setTimeout(() => setCopied(''), 2000)
  }
  return (
    <Menu
      button={
        <button type="button" className="graphiql-un-styled graphiql-toolbar-button" title="Copy as code">
          <span role="status">{copied ? '✓' : '{ }'}</span>
        </button>
      }
    >
      {Object.keys(formats).map(format => (
        <Menu.Item key={format} onSelect={() => copy(format)}>
          Copy as {format}
        </Menu.Item>
      ))}
    </Menu>
  )
}

/** Formats a GraphQL operation as code for other places. The token stays a variable, because it is a secret. */
interface Operation {
  query: string
  variables: string
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const inTemplate = (text: string): string => `\`${text.replace(/[\\`$]/g, found => `\\${found}`)}\``

const variablesOf = ({ variables }: Operation): string => (variables.trim() === '' ? '{}' : variables.trim())

const formats: Record<string, (operation: Operation, url: string) => string> = {
  curl: (operation, url) => {
    const body = JSON.stringify({ query: operation.query, variables: parse(variablesOf(operation)) })
    return `curl -sS -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d ${quote(body)} ${url}graphql`
  },
  fetch: (operation, url) => `const response = await fetch('${url}graphql', {
  method: 'POST',
  headers: { authorization: \`Bearer \${token}\`, 'content-type': 'application/json' },
  body: JSON.stringify({
    query: ${inTemplate(operation.query)},
    variables: ${variablesOf(operation)}
  })
})
const { data, errors } = await response.json()
`,
  client: (operation, url) => `import { createClient } from 'product-templates-client'

const client = createClient({ url: '${url}', auth: token })
const data = await client.request(
  ${inTemplate(operation.query)},
  ${variablesOf(operation)}
)
`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
