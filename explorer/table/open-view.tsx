import { useEffect, useState } from 'preact/hooks'
import { type Criteria, readCriteria, writeCriteria } from '../gallery/criteria.ts'
import { openedView } from '../gallery/opened-view.ts'
import { Loading } from '../parts/loading.tsx'
import { hrefOf, navigate } from '../route.ts'
import { listViews } from './own-views.ts'

/** Opens the view that the address names. An address that names nothing else gets its filter and order. */
export function OpenView({ id, criteria }: { id: string; criteria: Criteria }) {
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const open = async () => {
      const view = (await listViews()).find(view => view.id === id)
      if (!view) return setProblem('This view does not exist any more, or it is not for you.')
      openedView.value = view
      if (criteria.layout === undefined) {
        const found = readCriteria(new URLSearchParams(view.query))
        navigate(hrefOf([], writeCriteria({ ...found, layout: 'table', saved: id })), { replace: true })
      }
    }
    open().catch(() => setProblem('The view could not be read.'))
  }, [id])
  if (problem === undefined) return <Loading />
  return (
    <p class="notice warning" role="alert">
      {problem} <a href={hrefOf([])}>Show all templates</a>
    </p>
  )
}
