import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The part of an element that is on the screen, in pixels from its top. */
export interface Window {
  width: number
  top: number
  height: number
}

/** Follows the part of an element that is on the screen. */
export function useWindow(frame: RefObject<HTMLElement | null>): Window {
  const [window, setWindow] = useState<Window>({ width: 0, top: 0, height: innerHeight })
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const measure = () => {
      const { top, width } = element.getBoundingClientRect()
      setWindow(last =>
        last.width === width && last.top === -top && last.height === innerHeight
          ? last
          : { width, top: -top, height: innerHeight }
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [frame])
  return window
}
