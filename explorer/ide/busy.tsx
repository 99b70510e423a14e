import { useGraphiQL } from '@graphiql/react'
import { useEffect } from 'react'

/** Keeps clicks off the IDE until its editors are there: GraphiQL drops an "Execute" that comes earlier. */
export function BusyUntilEditable({ root }: { root: HTMLElement }) {
  const editable = useGraphiQL(
    ({ queryEditor, responseEditor }) => queryEditor !== undefined && responseEditor !== undefined
  )
  useEffect(() => {
    root.inert = !editable
    root.ariaBusy = String(!editable)
  }, [root, editable])
  return null
}
