/** @jsxImportSource react */
import { ToolbarMenu, useGraphiQL, useMonaco } from '@graphiql/react'
import { GraphiQL } from 'graphiql'
import { buildSchema } from 'graphql'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import schemaText from '../../graphql/schema.graphql?raw'
import { metaContent } from '../meta.ts'
import { CopyAs } from './copy-as.tsx'
import { setEditorColours } from './editor-colours.ts'
import { fetcher } from './fetcher.ts'
import 'graphiql/setup-workers/vite'
import 'graphiql/style.css'
// After GraphiQL's style, because it overrides its tokens.
import './ide.css'

const schema = buildSchema(schemaText)

/** GraphiQL with the schema, the examples as tabs, the explorer's token, and the colours that the user chose. */
export function showIde(root: HTMLElement): void {
  const react = createRoot(root)
  const render = () => react.render(<Ide root={root} theme={findTheme()} />)
  addEventListener('themechange', render)
  systemIsDark.addEventListener('change', render)
  render()
}

const Ide = ({ root, theme }: { root: HTMLElement; theme: Theme }) => (
  <GraphiQL
    fetcher={fetcher}
    schema={schema}
    defaultTabs={examples}
    forcedTheme={theme}
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

type Theme = 'light' | 'dark'

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

function findTheme(): Theme {
  const theme = metaContent('color-scheme')
  if (theme === 'light' || theme === 'dark') return theme
  return systemIsDark.matches ? 'dark' : 'light'
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

/** The operations in `examples/` with their variables. */
interface Example {
  query: string
  variables?: string
}

const queries = import.meta.glob<string>('../../examples/*.graphql', {
  query: '?raw',
  import: 'default',
  eager: true
})
const variables = import.meta.glob<string>('../../examples/*.json', {
  query: '?raw',
  import: 'default',
  eager: true
})

const examples: Example[] = Object.entries(queries).map(([path, query]) => {
  const values = variables[path.replace('.graphql', '.json')]
  return { query: query.trim(), ...(values !== undefined && { variables: values.trim() }) }
})
