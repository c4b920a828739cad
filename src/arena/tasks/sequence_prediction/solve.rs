//! Finds the rule from the terms.

use super::rule::{Digits, Rule, combined};

/// A prime far above all terms: linear rules are solved modulo it, and small factors read off.
const PRIME: i128 = (1 << 61) - 1;

/// The terms that come next; zeros when no rule is found.
pub(super) fn next(terms: &[i64], asked: usize) -> Vec<i64> {
    let Some(rule) = find(terms) else { return vec![0; asked] };
    let whole = rule.terms(terms.len() + asked).filter(|whole| whole.starts_with(terms));
    whole.map_or_else(|| vec![0; asked], |whole| whole[terms.len()..].to_vec())
}

fn find(terms: &[i64]) -> Option<Rule> {
    one_row(terms).or_else(|| {
        let [one, other] = [0, 1].map(|rest| terms.iter().skip(rest).step_by(2).copied().collect::<Vec<_>>());
        Some(Rule::Turns(Box::new([one_row(&one)?, one_row(&other)?])))
    })
}

fn one_row(terms: &[i64]) -> Option<Rule> {
    let linear = (1..=4).find_map(|order| linear(terms, order));
    linear.or_else(|| digits(terms)).or_else(|| (1..=3).find_map(|order| modular(terms, order)))
}

fn digits(terms: &[i64]) -> Option<Rule> {
    let first = *terms.first().filter(|first| **first >= 0)?;
    Digits::ALL.into_iter().find_map(|how| {
        let constant = terms.get(1)? - how.apply(first);
        let rule = Rule::Digits { first, how, constant };
        (rule.terms(terms.len())? == terms).then_some(rule)
    })
}

fn linear(terms: &[i64], order: usize) -> Option<Rule> {
    let (factors, constant) = solve(terms, order, PRIME)?;
    let small = |number: i128| if number > PRIME / 2 { (number - PRIME) as i64 } else { number as i64 };
    let factors: Vec<i64> = factors.into_iter().map(small).collect();
    let rule = Rule::Linear { first: terms[..order].to_vec(), factors, constant: small(constant) };
    (rule.terms(terms.len())? == terms).then_some(rule)
}

fn modular(terms: &[i64], order: usize) -> Option<Rule> {
    let largest = terms.iter().copied().max()?;
    if terms.iter().any(|term| *term < 0) || largest > 200 {
        return None;
    }
    let primes =
        (largest + 1..=211).filter(|n| *n > 1 && (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    primes.into_iter().find_map(|modulus| {
        let (factors, constant) = solve(terms, order, i128::from(modulus))?;
        let factors: Vec<i64> = factors.into_iter().map(|factor| factor as i64).collect();
        let constant = constant as i64;
        let fits = terms.windows(order + 1).all(|window| {
            let sum = combined(&window[..order], &factors, constant);
            sum.map(|sum| sum.rem_euclid(modulus)) == Some(window[order])
        });
        let first = terms[..order].to_vec();
        fits.then_some(Rule::Modular { first, factors, constant, modulus })
    })
}

/// Factors and constant of a linear rule modulo a prime, by elimination over all the terms; nothing when they do not
/// fit, or there are too few of them to tell.
fn solve(terms: &[i64], order: usize, prime: i128) -> Option<(Vec<i128>, i128)> {
    let unknowns = order + 1;
    if terms.len() < order + unknowns + 1 {
        return None;
    }
    let row = |window: &[i64]| -> Vec<i128> {
        let (next, last) = window.split_last().map_or((0, &[][..]), |(next, last)| (*next, last));
        let known = last.iter().rev().map(|term| i128::from(*term).rem_euclid(prime));
        known.chain([1, i128::from(next).rem_euclid(prime)]).collect()
    };
    let mut rows: Vec<Vec<i128>> = terms.windows(order + 1).map(row).collect();
    for column in 0..unknowns {
        let pivot = (column..rows.len()).find(|&row| rows[row][column] != 0)?;
        rows.swap(column, pivot);
        let inverse = power(rows[column][column], prime - 2, prime);
        for number in &mut rows[column] {
            *number = *number * inverse % prime;
        }
        let pivot = rows[column].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            let times = row[column];
            if at != column && times != 0 {
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a = (*a - times * b % prime).rem_euclid(prime));
            }
        }
    }
    let fits = rows[unknowns..].iter().all(|row| row[unknowns] == 0);
    let mut solution: Vec<i128> = rows[..unknowns].iter().map(|row| row[unknowns]).collect();
    let constant = solution.pop()?;
    fits.then_some((solution, constant))
}

fn power(base: i128, mut exponent: i128, modulus: i128) -> i128 {
    let (mut base, mut result) = (base % modulus, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    result
}
