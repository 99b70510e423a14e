import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Dialog, Problems, useAction } from './dialog.tsx'

interface Props {
  /** The question, such as `Delete template 7?`. */
  title: string
  /** The label of the button that opens the dialog. */
  label: ComponentChildren
  /** The label of the button that confirms; by default, the same. */
  confirmLabel?: ComponentChildren
  cancelLabel?: string
  /** The consequence for the user's own account or client. If it is set, the user must confirm twice. */
  ownWarning?: string | undefined
  /** How prominent the button is; `danger` also makes the button that confirms red. */
  look?: 'plain' | 'primary' | 'cancel' | 'danger'
  /** The button keeps the focus, and does nothing. */
  disabled?: boolean
  /** Returns whether to ask before the action. The default is always. */
  isNeeded?: ((button: HTMLButtonElement) => boolean) | undefined
  /** Whether there is nothing to confirm. */
  isPointless?: boolean
  /** What the action will do. */
  children: ComponentChildren
  /**
   * Runs the action. Returns its problems; if there are any, the dialog stays open. Throws if the service does not
   * answer.
   */
  onConfirm: () => Promise<string[]>
}

/** A button whose action must be confirmed: once, or twice if it concerns the user's own account. */
export function Confirm({
  title,
  label,
  confirmLabel = label,
  cancelLabel = 'Cancel',
  ownWarning,
  look,
  disabled,
  isNeeded,
  isPointless = false,
  children,
  onConfirm
}: Props) {
  const { isOpen, isBusy, problems, open, close, run } = useAction(onConfirm)
  const cancel = useRef<HTMLButtonElement>(null)
  const [isSecondStep, setSecondStep] = useState(false)
  const openFirstStep = ({ currentTarget }: { currentTarget: HTMLButtonElement }) => {
    setSecondStep(false)
    if (isNeeded?.(currentTarget) === false) return run()
    return open()
  }
  useEffect(() => {
    if (isSecondStep) cancel.current?.focus()
  }, [isSecondStep])
  const needsSecondStep = ownWarning !== undefined && !isSecondStep
  // The second time, the buttons are swapped, so that a double click does not confirm twice.
  const buttons = [
    <Button
      key="confirm"
      look={look === 'danger' ? 'danger primary' : 'primary'}
      isBusy={isBusy}
      {...(isPointless && { 'aria-disabled': true })}
      onClick={isPointless ? undefined : needsSecondStep ? () => setSecondStep(true) : run}
    >
      {confirmLabel}
      {isSecondStep && ', I am sure'}
    </Button>,
    <button key="cancel" ref={cancel} type="button" class="button" onClick={close}>
      {cancelLabel}
    </button>
  ]
  return (
    <>
      <Button
        look={look}
        aria-disabled={disabled || undefined}
        onClick={disabled ? undefined : openFirstStep}
      >
        {label}
      </Button>
      {isOpen && (
        <Dialog title={isSecondStep ? 'Do this to yourself?' : title} onClose={close}>
          {/* Hidden, not removed: it may contain fields. */}
          <div class="muted" hidden={isSecondStep}>
            {children}
          </div>
          {isSecondStep && <p class="notice warning">{ownWarning}</p>}
          <Problems problems={problems} />
          <div class="buttons">{isSecondStep ? buttons.toReversed() : buttons}</div>
        </Dialog>
      )}
    </>
  )
}

interface CancelProps {
  /** Whether the user has typed something, which is lost. */
  isTyped: boolean
  onCancel: () => void
}

/** A button that leaves a form. It asks before it discards what the user has typed, which may not be a number yet. */
export const Cancel = ({ isTyped, onCancel }: CancelProps) => (
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
