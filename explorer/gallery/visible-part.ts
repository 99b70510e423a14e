import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The visible part of an element, in pixels from its top. */
interface VisiblePart {
  width: number
  top: number
  height: number
}

/**
 * Returns the visible part of an element, or of the content of a scroller. Scrolling by less than `step` pixels changes
 * nothing.
 */
export function useVisiblePart(
  frame: RefObject<HTMLElement | null>,
  { isScroller = false, step = 1 } = {}
): VisiblePart {
  const [part, setPart] = useState<VisiblePart>({ width: 0, top: 0, height: innerHeight })
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const find = () => {
      if (isScroller)
        return { width: element.clientWidth, top: element.scrollTop, height: element.clientHeight }
      const { top, width } = element.getBoundingClientRect()
      return { width, top: -top, height: innerHeight }
    }
    const measure = () => {
      const { width, top: exact, height } = find()
      const top = Math.floor(exact / step) * step
      setPart(last =>
        last.width === width && last.top === top && last.height === height ? last : { width, top, height }
      )
    }
    const scroller = isScroller ? element : globalThis
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    scroller.addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      scroller.removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [frame, isScroller, step])
  return part
}
