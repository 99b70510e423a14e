interface Props {
  label: string
  /** MIME types and file extensions, as in HTML. */
  accept: string
  isDisabled?: boolean
  isMultiple?: boolean
  onFiles: (files: File[]) => void
}

/** A button that opens the file chooser. */
export function FileButton({ label, accept, isDisabled = false, isMultiple = false, onFiles }: Props) {
  return (
    <label class="button">
      {label}
      <input
        class="hidden-visually"
        type="file"
        accept={accept}
        disabled={isDisabled}
        multiple={isMultiple}
        onChange={event => {
          const files = [...(event.currentTarget.files ?? [])]
          if (files.length > 0) onFiles(files)
        }}
      />
    </label>
  )
}
