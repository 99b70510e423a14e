import { useEffect, useState } from 'preact/hooks'
import { pageInfo, usePages, useQuery } from '../admin/use-pages.ts'
import { mayPublish, mayWrite } from '../api.ts'
import { describeAuthor, plural } from '../format.ts'
import { Loading } from '../parts/loading.tsx'
import { Time } from '../parts/time.tsx'
import { hrefOf } from '../route.ts'
import '../deleted/deleted.css'
import { type BulkChange, bulkChangeFields, describeBulkChange } from './read-bulk-change.ts'
import { UndoButton } from './undo-button.tsx'
import { WrittenTemplates } from './written-templates.tsx'

const title = 'Imports and bulk changes'

/** The writes of many templates, newest first, or the templates of one of them. */
export function BulkChanges({ id }: { id: string | undefined }) {
  useEffect(() => {
    document.title = `${title} · Templates`
  }, [])
  return id === undefined ? <BulkChangeList /> : <OneBulkChange key={id} id={id} />
}

const listQuery = `query BulkChanges($after: String) {
  bulkChanges(first: 20, after: $after) { nodes { ${bulkChangeFields} } ${pageInfo} } }`

function BulkChangeList() {
  // A new value reads the list again.
  const [version, setVersion] = useState(0)
  const [result, setResult] = useState<{ id: string; sentences: string[] }>()
  const { items, status, more } = usePages<BulkChange>(listQuery, { version })
  const finish = (id: string, sentences: string[]) => {
    setResult({ id, sentences })
    setVersion(version + 1)
  }
  // The list is read from its start again, which may be without an old change.
  const isListed = items.some(({ id }) => id === result?.id)
  return (
    <>
      <h1>{title}</h1>
      <p class="muted">
        {status === 'ready' && items.length === 0
          ? 'Nobody has imported or changed many templates at once yet.'
          : mayPublish()
            ? 'Each can be undone, also later. What somebody has changed since stays.'
            : mayWrite()
              ? 'You can undo what needs no publisher, also later. What somebody has changed since stays.'
              : 'The newest come first.'}
      </p>
      {result && !isListed && <Sentences sentences={result.sentences} />}
      {status === 'reading' && items.length === 0 && <Loading />}
      <ul aria-busy={status === 'reading'}>
        {items.map(bulkChange => (
          <li key={bulkChange.id} class="card bulk-change">
            <div>
              <strong>{describeBulkChange(bulkChange)}</strong>
              <Origin bulkChange={bulkChange} />
              <Sentences sentences={result?.id === bulkChange.id ? result.sentences : []} />
            </div>
            <a class="button" href={hrefOf(['bulk-changes', bulkChange.id])}>
              Show these<span class="hidden-visually">: {describeBulkChange(bulkChange)}</span>
            </a>
            <UndoButton bulkChange={bulkChange} onUndone={sentences => finish(bulkChange.id, sentences)} />
          </li>
        ))}
      </ul>
      {status === 'failed' && <p class="notice warning">The list could not be read.</p>}
      {more && (
        <button type="button" class="button" disabled={status === 'reading'} onClick={more}>
          Show older
        </button>
      )}
      <p>
        <a href={hrefOf([])}>All templates</a> · <a href={hrefOf(['deleted'])}>Deleted templates</a>
      </p>
    </>
  )
}

const oneQuery = `query BulkChange($id: ID!) { bulkChange(id: $id) { ${bulkChangeFields} } }`

function OneBulkChange({ id }: { id: string }) {
  const { data, hasFailed, reread } = useQuery<{ bulkChange: BulkChange | null }>(oneQuery, { id })
  const [version, setVersion] = useState(0)
  const [sentences, setSentences] = useState<string[]>([])
  const bulkChange = data?.bulkChange
  const finish = (sentences: string[]) => {
    setSentences(sentences)
    setVersion(version + 1)
    reread()
  }
  return (
    <>
      <h1>{bulkChange ? describeBulkChange(bulkChange) : title}</h1>
      {!data && !hasFailed && <Loading />}
      {hasFailed && <p class="notice warning">This could not be read.</p>}
      {bulkChange === null && <p class="muted">There is no such import or change, or you may not see it.</p>}
      {bulkChange && (
        <>
          <Origin bulkChange={bulkChange} />
          <UndoButton bulkChange={bulkChange} onUndone={finish} />
          <Sentences sentences={sentences} />
          <WrittenTemplates id={id} version={version} />
        </>
      )}
      <p>
        <a href={hrefOf(['bulk-changes'])}>{title}</a>
      </p>
    </>
  )
}

const Origin = ({ bulkChange }: { bulkChange: BulkChange }) => {
  const { message, undone, count, undoneBy } = bulkChange
  return (
    <>
      <p class="muted">
        <Signature {...bulkChange} />
        {message !== null && ` “${message}”`}
      </p>
      {undone > 0 && (
        <p class="muted">
          <span class="pill draft">{undone < count ? `${plural(undone, 'template')} undone` : 'Undone'}</span>{' '}
          {undoneBy && <Signature {...undoneBy} />}
          {undoneBy &&
            undoneBy.undone >= undoneBy.count &&
            !undoneBy.undoneBy?.undone &&
            '; this was undone, too'}
        </p>
      )}
    </>
  )
}

/** When something was done, and who did it. */
const Signature = ({ time, author }: Pick<BulkChange, 'time' | 'author'>) => (
  <>
    <Time time={time} />
    {author ? describeAuthor(author) : ' by a command'}
  </>
)

/** What an undo has done. */
const Sentences = ({ sentences }: { sentences: string[] }) => (
  <div role="status">
    {sentences.length > 0 && (
      <div class={sentences.length > 1 ? 'notice warning' : 'notice'}>
        {sentences.map(sentence => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    )}
  </div>
)
