/** @jsxImportSource react */
import { type ToolbarMenu, useGraphiQL } from '@graphiql/react'
import { useState } from 'react'
import { service } from '../api.ts'
import { formats } from './code.ts'

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
