import { useState } from 'preact/hooks'
import { storesPictures } from '../../../../explorer/additions.ts'
import { FileButton } from '../../../../explorer/ui/file-button.tsx'

/** The area to drop a file or choose one. It is small once a file is open. */
export function DropArea({ small, onFiles }: { small: boolean; onFiles: (files: File[]) => void }) {
  const [isOver, setOver] = useState(false)
  return (
    <section
      class={`drop ${small ? 'small' : ''} ${isOver ? 'over' : ''}`}
      aria-label="File"
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        setOver(false)
        const files = [...(event.dataTransfer?.files ?? [])]
        if (files.length > 0) onFiles(files)
      }}
    >
      <p>
        <strong>Drop a file here.</strong> You see the changes before anything is written.
      </p>
      <p class="muted formats">
        A spreadsheet as XLSX or CSV with any columns, a JSON array, or a JSON object in each line.
        {storesPictures && ' With a spreadsheet, drop the pictures whose file names it has.'}
      </p>
      <FileButton
        label={small ? 'Choose another file' : 'Choose a file'}
        accept={`.xlsx,.xlsm,.csv,.tsv,.txt,.json,.ndjson,.jsonl${storesPictures ? ',image/*' : ''}`}
        isMultiple
        onFiles={onFiles}
      />
    </section>
  )
}
