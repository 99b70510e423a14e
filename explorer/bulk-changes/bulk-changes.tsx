import { useState } from 'preact/hooks'
import { mayPublish, mayWrite } from '../api.ts'
import { describeAuthor, plural } from '../format.ts'
import { hrefOf } from '../route.ts'
import { ListEnd, Reading } from '../ui/reading.tsx'
import { Time } from '../ui/time.tsx'
import { pageInfo, usePages, useQuery } from '../ui/use-pages.ts'
import { useTitle } from '../ui/use-title.ts'
import '../deleted/deleted.css'
import {
  type BulkChange,
  bulkChangeFields,
  describeBulkChange,
  findFormer,
  titleOf
} from './read-bulk-change.ts'
import { UndoButton, type UndoResult } from './undo-button.tsx'
import { WrittenTemplates } from './written-templates.tsx'

const title = 'Imports and bulk changes'

/** The writes of many templates, newest first, or the templates of one of them. */
export function BulkChanges({ id }: { id: string | undefined }) {
  useTitle(title)
  return id === undefined ? <BulkChangeList /> : <OneBulkChange key={id} id={id} />
}

const listQuery = `query BulkChanges($after: String) {
  bulkChanges(first: 20, after: $after) { nodes { ${bulkChangeFields} } ${pageInfo} } }`

function BulkChangeList() {
  const [result, setResult] = useState<UndoResult & { id: string }>()
  const list = usePages<BulkChange>(listQuery)
  const { items, status } = list
  const finish = (id: string, done: UndoResult) => {
    setResult({ ...done, id })
    list.reread()
  }
  const resultOf = ({ id }: BulkChange) => (id === result?.id ? result : undefined)
  // The list is read from its start again, which may be without an old change.
  const isListed = items.some(resultOf)
  return (
    <>
      <h1>{title}</h1>
      <p class="muted">
        {status === 'ready' && items.length === 0
          ? 'Nobody has imported or changed many templates at once yet.'
          : mayWrite()
            ? `You can undo ${mayPublish() ? 'each of them' : 'changes that need no publisher'}, also later. Templates that somebody has changed since stay as they are, unless these changes were undone.`
            : 'The newest come first.'}
      </p>
      {!isListed && <Sentences of={result} />}
      <ul class="stack" aria-busy={status === 'reading'}>
        {items.map(bulkChange => (
          <li key={bulkChange.id} class="card bulk-change">
            <div>
              <strong>{titleOf(bulkChange)}</strong>
              <Origin bulkChange={bulkChange} result={resultOf(bulkChange)} />
              <Sentences of={resultOf(bulkChange)} />
            </div>
            <a class="button" href={hrefOf(['bulk-changes', bulkChange.id])}>
              Show these<span class="hidden-visually">: {titleOf(bulkChange)}</span>
            </a>
            <UndoButton
              bulkChange={bulkChange}
              result={resultOf(bulkChange)}
              onUndone={done => finish(bulkChange.id, done)}
            />
          </li>
        ))}
      </ul>
      <ListEnd of={list} problem="The list could not be read." moreLabel="Show older" />
      <p>
        <a href={hrefOf([])}>All templates</a> · <a href={hrefOf(['deleted'])}>Deleted templates</a>
      </p>
    </>
  )
}

const oneQuery = `query BulkChange($id: ID!) { bulkChange(id: $id) { ${bulkChangeFields} } }`

function OneBulkChange({ id }: { id: string }) {
  const reading = useQuery<{ bulkChange: BulkChange | null }>(oneQuery, { id })
  const { data, reread } = reading
  const [version, setVersion] = useState(0)
  const [result, setResult] = useState<UndoResult>()
  const bulkChange = data?.bulkChange
  const finish = (done: UndoResult) => {
    setResult(done)
    setVersion(version + 1)
    reread()
  }
  return (
    <>
      <h1>{bulkChange ? titleOf(bulkChange) : title}</h1>
      <Reading of={reading} problem="This could not be read." />
      {bulkChange === null && <p class="muted">There is no such import or change, or you may not see it.</p>}
      {bulkChange && (
        <>
          <Origin bulkChange={bulkChange} result={result} />
          <UndoButton bulkChange={bulkChange} result={result} onUndone={finish} />
          <Sentences of={result} />
          <WrittenTemplates id={id} version={version} />
        </>
      )}
      <p>
        <a href={hrefOf(['bulk-changes'])}>{title}</a>
      </p>
    </>
  )
}

const Origin = ({ bulkChange, result }: { bulkChange: BulkChange; result: UndoResult | undefined }) => {
  const { message, undone, count, undoneBy } = bulkChange
  const found = findFormer(bulkChange)
  // The message that this page gives an undo says the same.
  const isRepeated = found && /^(un|re)do\b/.test(message ?? '')
  return (
    <>
      {found && (
        <p>
          {found.verb} of “
          <a href={hrefOf(['bulk-changes', found.former.id])}>{describeBulkChange(found.former)}</a>”,{' '}
          <Time time={found.former.time} />
        </p>
      )}
      <p class="muted">
        <Signature {...bulkChange} />
        {message !== null && !isRepeated && ` “${message}”`}
      </p>
      {/* The service may count fewer templates than the result. */}
      {undone > 0 && !result && (
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
const Sentences = ({ of: result }: { of: UndoResult | undefined }) => (
  <div role="status">
    {result && (
      <div class={result.sentences.length > 1 ? 'notice warning' : 'notice'}>
        {result.sentences.map(sentence => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    )}
  </div>
)
