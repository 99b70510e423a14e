/** @jsxImportSource react */
import { ToolbarMenu, useGraphiQL, useMonaco } from '@graphiql/react'
import { GraphiQL } from 'graphiql'
import 'graphiql/setup-workers/vite'
import 'graphiql/style.css'
import { buildSchema } from 'graphql'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import schemaText from '../../graphql/schema.graphql?raw'
import { metaContent } from '../meta.ts'
import { CopyAs } from './copy-as.tsx'
import { setEditorColours } from './editor-colours.ts'
import { examples } from './examples.ts'
import { fetcher } from './fetcher.ts'
// After GraphiQL's style, because it overrides its tokens.
import './ide.css'

const schema = buildSchema(schemaText)

/** GraphiQL with the schema, the examples as tabs, and the explorer's token. */
export function showIde(root: HTMLElement): void {
  addEventListener('themechange', () => location.reload())
  createRoot(root).render(
    <GraphiQL
      fetcher={fetcher}
      schema={schema}
      defaultTabs={examples}
      forcedTheme={findTheme()}
      isHeadersEditorEnabled={false}
      showPersistHeadersSettings={false}
    >
      <GraphiQL.Logo>
        <span />
      </GraphiQL.Logo>
      <GraphiQL.Toolbar>
        {({ prettify, copy }) => (
          <>
            {prettify}
            {copy}
            <CopyAs menu={ToolbarMenu} />
            <BusyUntilEditable root={root} />
          </>
        )}
      </GraphiQL.Toolbar>
    </GraphiQL>
  )
}

/** GraphiQL marks the page with its theme. It follows the system only when it starts. */
function findTheme(): 'light' | 'dark' {
  const theme = metaContent('color-scheme')
  if (theme === 'light' || theme === 'dark') return theme
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Disables the IDE until its editors are loaded, because GraphiQL ignores an earlier "Execute". */
function BusyUntilEditable({ root }: { root: HTMLElement }) {
  const editable = useGraphiQL(
    ({ queryEditor, responseEditor }) => queryEditor !== undefined && responseEditor !== undefined
  )
  const monaco = useMonaco(state => state.monaco)
  useEffect(() => {
    if (monaco) setEditorColours(monaco)
  }, [monaco])
  useEffect(() => {
    root.inert = !editable
    root.ariaBusy = String(!editable)
  }, [root, editable])
  return null
}
