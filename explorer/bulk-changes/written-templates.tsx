import { TemplatePicture } from '../picture/template-picture.tsx'
import { hrefOf } from '../route.ts'
import { ListEnd } from '../ui/reading.tsx'
import { useList } from '../ui/use-read.ts'
import { readWrittenTemplates } from './read-bulk-change.ts'

/** The templates that a bulk change wrote. A new version reads them again. */
export function WrittenTemplates({ id, version }: { id: string; version: number }) {
  const list = useList(
    (after: string | undefined, stop) => readWrittenTemplates(id, after, stop),
    [id, version]
  )
  const { items, status } = list
  return (
    <>
      <ul class="stack" aria-busy={status === 'reading'}>
        {items.map(({ templateId, number, isLatest, isDeletion, contents }) => {
          const { name, document } = contents ?? {}
          const place = new URLSearchParams({ revision: String(number) })
          return (
            <li key={`${templateId} ${number}`} class="card">
              <TemplatePicture image={document?.image} name={name ?? ''} />
              <div>
                <a class="name-link" href={hrefOf(['templates', templateId, 'history'], place)}>
                  {name || `Template ${templateId}`}
                </a>
                <p class="muted">
                  {templateId} · {isDeletion ? 'deleted' : `revision ${number}`}
                </p>
              </div>
              {!isLatest && <span class="pill draft">Changed since</span>}
            </li>
          )
        })}
      </ul>
      <ListEnd of={list} problem="The templates could not be read." />
    </>
  )
}
