import { useEffect, useState } from 'preact/hooks'
import { type Page, usePages } from '../admin/use-pages.ts'
import { Loading } from '../parts/loading.tsx'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { isAborted } from '../requests.ts'
import { hrefOf } from '../route.ts'
import { readDeletedContents, revisionsQuery, type WrittenRevision } from './read-bulk-change.ts'

const pageSize = 50

interface Answer {
  bulkChange: { revisions: Page<WrittenRevision> } | null
}

const noPage = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
const pickPage = ({ bulkChange }: Answer) => bulkChange?.revisions ?? noPage

/** The templates that a bulk change wrote. A new version reads them again. */
export function WrittenTemplates({ id, version }: { id: string; version: number }) {
  const variables = { id, first: pageSize, version }
  const { items, status, more } = usePages<WrittenRevision, Answer>(revisionsQuery, variables, pickPage)
  const { former, hasFailed } = useFormerContents(items)
  return (
    <>
      {status === 'reading' && items.length === 0 && <Loading />}
      {status === 'failed' && <p class="notice warning">The templates could not be read.</p>}
      {hasFailed && <p class="notice warning">The names of the deleted templates could not be read.</p>}
      <ul aria-busy={status === 'reading'}>
        {items.map(({ templateId, number, isLatest, contents }) => {
          const { name, document } = contents ?? former.get(templateId) ?? {}
          const place = new URLSearchParams({ revision: String(number) })
          return (
            <li key={`${templateId} ${number}`} class="card">
              <TemplatePicture image={document?.image} name={name ?? ''} />
              <div>
                <a href={hrefOf(['templates', templateId, 'history'], place)}>
                  {name || `Template ${templateId}`}
                </a>
                <p class="muted">
                  {templateId} · {contents ? `revision ${number}` : 'deleted'}
                </p>
              </div>
              {!isLatest && <span class="pill draft">Changed since</span>}
            </li>
          )
        })}
      </ul>
      {more && (
        <button type="button" class="button" disabled={status === 'reading'} onClick={more}>
          Show more
        </button>
      )}
    </>
  )
}

/** Reads what deleted templates were before, page by page. */
function useFormerContents(items: WrittenRevision[]) {
  const [former, setFormer] = useState<Awaited<ReturnType<typeof readDeletedContents>>>(new Map())
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    const missing = items.slice(-pageSize).filter(({ contents }) => contents === null)
    readDeletedContents(missing, stop.signal)
      .then(found => setFormer(known => new Map([...known, ...found])))
      .catch(error => setFailed(!isAborted(error)))
    return () => stop.abort()
  }, [items])
  return { former, hasFailed }
}
