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
import { UndoButton } from './undo-button.tsx'
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
  const [result, setResult] = useState<{ id: string; sentences: string[] }>()
  const list = usePages<BulkChange>(listQuery)
  const { items, status } = list
  const finish = (id: string, sentences: string[]) => {
    setResult({ id, sentences })
    list.reread()
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
            ? 'You can undo each of them, also later. Templates that somebody has changed since stay as they are.'
            : mayWrite()
              ? 'You can undo changes that need no publisher, also later. Templates that somebody has changed since stay as they are.'
              : 'The newest come first.'}
      </p>
      {result && !isListed && <Sentences sentences={result.sentences} />}
      <ul class="stack" aria-busy={status === 'reading'}>
        {items.map(bulkChange => (
          <li key={bulkChange.id} class="card bulk-change">
            <div>
              <strong>{titleOf(bulkChange)}</strong>
              <Origin bulkChange={bulkChange} />
              <Sentences sentences={result?.id === bulkChange.id ? result.sentences : []} />
            </div>
            <a class="button" href={hrefOf(['bulk-changes', bulkChange.id])}>
              Show these<span class="hidden-visually">: {titleOf(bulkChange)}</span>
            </a>
            <UndoButton bulkChange={bulkChange} onUndone={sentences => finish(bulkChange.id, sentences)} />
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
  const [sentences, setSentences] = useState<string[]>([])
  const bulkChange = data?.bulkChange
  const finish = (sentences: string[]) => {
    setSentences(sentences)
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
