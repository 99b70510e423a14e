import { useState } from 'preact/hooks'
import { formatCount } from '../../../explorer/format.ts'
import { focusUnreadable } from '../../../explorer/numbers/read-input.tsx'
import { Button } from '../../../explorer/ui/button.tsx'
import { Problems } from '../../../explorer/ui/dialog.tsx'
import { Loading } from '../../../explorer/ui/reading.tsx'
import { Columns } from './columns/columns.tsx'
import { KeySelect } from './columns/key-select.tsx'
import { rememberMapping } from './columns/remembered-mapping.ts'
import type { Choice } from './file/open-file.ts'
import type { Opened } from './file/opened.ts'
import { TablePlace, whyStays } from './file/table-place.tsx'
import type { Pictures } from './pictures/chosen-pictures.ts'
import { PictureFiles } from './pictures/picture-files.tsx'
import { Rows } from './rows/rows.tsx'
import { SaveRows } from './rows/save-rows.tsx'
import { ToCorrect } from './rows/to-correct.tsx'
import * as file from './rows/write-rows.ts'
import { Actions } from './sending/actions.tsx'
import { useImport } from './use-import.ts'

/** The result of an import. */
export interface Result {
  bulkChange: string
  created: number
  replaced: number
  hidden: number
  linked: number
  skipped: number
  /** The name of the file without its ending. */
  name: string
  /** Makes the file of the skipped rows of a table. */
  writeSkipped?: (() => Promise<Blob>) | undefined
  /** Makes the file of the whole table, if the user has corrected it. */
  writeCorrected?: (() => Promise<Blob>) | undefined
}

interface Props {
  opened: Opened
  fileName: string
  mayImport: boolean
  /** Undefined if the service stores none. */
  pictures: Pictures | undefined
  onFiles: (files: File[]) => void
  /** Reads the file again, in another way. */
  onRead: (choice: Choice) => void
  onDone: (result: Result) => void
}

/** An open file: the mapping of its columns, the effect on each row, and the import button. */
export function OpenedFile(props: Props) {
  const { opened, fileName, mayImport, pictures, onFiles, onRead, onDone } = props
  const { contents, traits, guess, isExport, size } = opened
  const table = 'table' in contents ? contents.table : undefined
  const [mapping, setMapping] = useState(opened.mapping)
  /** Whether stored templates change; undefined until the user decides. */
  const [choice, setChoice] = useState<boolean>()
  const [skips, setSkips] = useState(false)
  const [corrections, setCorrections] = useState(0)
  const importing = useImport(contents, mapping, mayImport ? pictures : undefined)
  const { found, isOld, mayRetry, isImporting, progress, uploads, problem } = importing
  const { run, runOnce, refuse, previewAgain } = importing
  const replaces = choice ?? (found !== undefined && found.counts.changed > 0)
  const name = fileName.replace(/\.[^.]*$/, '')
  const writeCorrected =
    corrections > 0 && table && mapping ? () => file.writeCorrected(table, mapping) : undefined
  const importAll = async () => {
    if (focusUnreadable(document)) return refuse()
    const done = await run({ replaces, message: `Imported from ${fileName}`.slice(0, 1000) })
    if (!done) return
    if (table && mapping && !isExport) rememberMapping(table.names, mapping)
    const writeSkipped = table && mapping ? () => file.writeSkipped(table, mapping, done.skipped) : undefined
    onDone({ ...done, skipped: done.skipped.length, name, writeSkipped, writeCorrected })
  }
  return (
    <>
      {found && <ToCorrect rows={found.counts.wrong} />}
      {table && <TablePlace {...{ table, isExport, onRead }} isCorrected={corrections > 0} />}
      {table && mapping && !isExport && (
        <>
          <Columns {...{ table, corrections, mapping, guess, traits }} onChange={setMapping} />
          <KeySelect table={table} mapping={mapping} onChange={setMapping} />
        </>
      )}
      {found && <PictureFiles pictures={found.pictures} onFiles={onFiles} />}
      {!found && problem === '' && <Loading />}
      {found && (
        <Rows
          key={found.mapping}
          preview={found}
          table={table}
          onCorrect={(row, index, text, places) => {
            row.cells[index] = text
            // What a person writes is in the notation of the column.
            if (row.numbers) row.numbers = row.numbers.filter(number => number !== index)
            delete row.units?.[index]
            setCorrections(corrections + 1)
            previewAgain(places)
          }}
        />
      )}
      {writeCorrected && (
        <p class="muted">
          Your file does not have your corrections. {whyStays}{' '}
          <SaveRows label="Save the corrected rows" name={`${name}-corrected`} write={writeCorrected} />
        </p>
      )}
      {uploads !== '' && (
        <p class="muted" role="status">
          {uploads}
        </p>
      )}
      <Problems problems={problem} />
      {mayRetry && <Button onClick={() => previewAgain()}>Try again</Button>}
      {progress !== undefined && size > 1000 && (
        <p class="muted" role="status">
          {formatCount(progress)} of {formatCount(size)}
        </p>
      )}
      {found && (
        <Actions
          preview={found}
          mayImport={mayImport}
          isBusy={isOld || progress !== undefined}
          isImporting={isImporting}
          replaces={replaces}
          skips={skips}
          onReplaces={setChoice}
          onSkips={setSkips}
          onImport={() => runOnce(importAll)}
        />
      )}
    </>
  )
}
