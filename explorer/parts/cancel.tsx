import { Confirm } from './confirm.tsx'

interface Props {
  /** Whether the user has typed something, which is lost. */
  isTyped: boolean
  onCancel: () => void
}

/** A button that leaves a form. It asks before it discards what the user has typed, which may not be a number yet. */
export const Cancel = ({ isTyped, onCancel }: Props) => (
  <Confirm
    title="Discard what you typed?"
    label="Cancel"
    look="cancel"
    confirmLabel="Discard"
    cancelLabel="Keep editing"
    isNeeded={({ form }) => isTyped || form?.matches(':invalid') === true}
    onConfirm={async () => {
      onCancel()
      return []
    }}
  >
    It is not saved, and cannot be brought back.
  </Confirm>
)
