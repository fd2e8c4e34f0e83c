export declare const REQUIRED_NODE: string;
export declare function nodeProblem(version: string): string | null;
