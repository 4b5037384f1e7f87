/** The day of a time: "2026-11-22". */
export const day = (time: string): string => time.slice(0, 10);

/** A time to the minute: "2026-11-22 06:44 UTC". */
export const minute = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** A time to the second: "2026-11-22 06:44:05 UTC". */
export const second = (time: string): string => `${time.slice(0, 19).replace('T', ' ')} UTC`;
